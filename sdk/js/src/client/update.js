// @ts-check
export async function advancePin() { throw new Error("todo"); }
