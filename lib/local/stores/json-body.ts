/** The JSON value in the body of a request, or in a file; undefined if it is not JSON, or if there is none. */
export function jsonIn(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
