/** A semaphore: runs at most `size` calls concurrently; the others wait in order. */
export function semaphore(size: number) {
  const waiting: (() => void)[] = [];
  let inside = 0;
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (inside >= size) await new Promise<void>((go) => waiting.push(go));
    else inside += 1;
    try {
      return await work();
    } finally {
      const go = waiting.shift();
      if (go === undefined) inside -= 1;
      else go();
    }
  };
}
