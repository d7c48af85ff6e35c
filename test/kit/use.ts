/**
 * What a test starts, and what is stopped after it. What a file starts as it loads is stopped after all of its tests, and
 * what a `beforeAll` starts after the tests of its describe block.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** The environment (`jest/environment.js`) calls what it is given, the last one first. */
export const { atEnd } = globalThis as unknown as { atEnd(stop: () => unknown): void };

export async function use<Started extends { stop(): unknown }>(
  starting: Started | Promise<Started>,
): Promise<Started> {
  const started = await starting;
  atEnd(() => started.stop());
  return started;
}

/** An empty folder. */
export function useFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `${name}-`));
  atEnd(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
