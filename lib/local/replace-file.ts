import { closeSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';

/** Writes a file that its owner alone may read: whoever reads it, also after a kill, finds the text before or this one. */
export function replaceFile(path: string, text: string): void {
  const part = `${path}.part`;
  const file = openSync(part, 'w', 0o600);
  try {
    writeFileSync(file, text);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(part, path);
}
