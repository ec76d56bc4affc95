// Shows the document in which each route has a request and its answer.
SwaggerUIBundle({
  url: "/docs/openapi-with-examples.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
});
