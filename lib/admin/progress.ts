/** The progress bar of long commands; shows nothing if the output is not a terminal. */

export interface Progress {
  /** Shows that `done` of `total` is done. Cheap to call often. */
  show(done: number, total: number): void;
  /** Removes the bar. */
  end(): void;
}

const WIDTH = 40;
const EVERY_MILLISECONDS = 100;

export function progressOn(stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write'>): Progress {
  if (!stream.isTTY) return { show: () => {}, end: () => {} };
  let last = 0;
  return {
    show(done, total) {
      const now = performance.now();
      if (now - last < EVERY_MILLISECONDS && done < total) return;
      last = now;
      const share = total === 0 ? 1 : Math.min(1, done / total);
      const full = Math.round(share * WIDTH);
      const percent = String(Math.floor(share * 100)).padStart(3);
      stream.write(`\r[${'#'.repeat(full)}${' '.repeat(WIDTH - full)}] ${percent} %`);
    },
    end: () => {
      stream.write('\r\u001b[K');
    },
  };
}
