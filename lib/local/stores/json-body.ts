/** The JSON value in the body of a request; undefined if it is not JSON, or there is no body. */
export function jsonIn(body: Buffer | undefined): unknown {
  try {
    return JSON.parse(String(body));
  } catch {
    return undefined;
  }
}
