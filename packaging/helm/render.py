"""Lints and renders the chart by helm-python-sdk, where helm itself is not installed: render.py CHART"""

import sys

import yaml
from helm_python.chart import Chart, lint

MORE = {
    "keys": {"existingSecret": "k", "hasEvmKey": True},
    "nodes": {"existingSecret": "n"},
    "serviceMonitor": {"enabled": True},
    "args": ["--watch", "all"],
}
WARNING = 2

chart = sys.argv[1]
for values, kinds in (({}, 4), (MORE, 5)):
    report = lint(chart, values, strict=True)
    bad = [message for message in report["messages"] if message["severity"] >= WARNING]
    rendered = Chart.load(chart).render(values, name="a", namespace="b")
    texts = [text for name, text in rendered.items() if name.endswith(".yaml")]
    objects = [one for text in texts for one in yaml.safe_load_all(text) if one]
    if bad or report["errors"] or len(objects) != kinds:
        sys.exit(f"{bad} {report['errors']}: {len(objects)} objects, expected {kinds}")
