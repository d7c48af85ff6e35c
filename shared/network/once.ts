/** Work that starts when it is first asked for, and has one result for all who ask. */
export function once<Value>(work: () => Promise<Value>): () => Promise<Value> {
  let running: Promise<Value> | undefined;
  return () => {
    running ??= work();
    return running;
  };
}
