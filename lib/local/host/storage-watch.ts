/** Notices when the disk takes no writes, because it is full, read-only or broken, and when it does again. */
import { closeSync, fsyncSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Log } from '../../../shared/runtime/logging/log.ts';

export interface StorageWatch {
  /** To be called with each error of a store. */
  failed(error: unknown): void;
  /** Why writes fail; undefined if they do not. */
  problem(): string | undefined;
  /** Does something whenever the disk takes writes again; if that fails, it does not. */
  onRecovery(then: () => void): void;
  stop(): void;
}

/** How often a write is tried while writes fail. */
const TRY_MILLISECONDS = 1000;

/** SQLite, "Result codes": SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL and SQLITE_CANTOPEN. */
const SQLITE_CODES = [8, 10, 13, 14];

/** What is written to see whether there is space: more than a small message needs. */
const PROBE = Buffer.alloc(256 * 1024);

/** @param requireFiles Throws if a file of the folder was deleted or replaced. */
export function watchStorage(
  { path, requireFiles }: { readonly path: string; requireFiles(): void },
  log: Log,
  tryMilliseconds = TRY_MILLISECONDS,
): StorageWatch {
  let problem: string | undefined;
  let timer: NodeJS.Timeout | undefined;
  const onceBack: (() => void)[] = [];

  function tryAgain(): void {
    try {
      requireFiles();
      probe(join(path, '.probe'));
      for (const then of onceBack) then();
    } catch (error) {
      problem = (error as Error).message;
      return;
    }
    clearInterval(timer);
    problem = undefined;
    log.warn('the storage takes writes again');
  }

  return {
    failed(error) {
      if (problem !== undefined || !isOfStorage(error, requireFiles)) return;
      problem = (error as Error).message;
      log.error('the storage takes no writes', { problem });
      timer = setInterval(tryAgain, tryMilliseconds);
    },
    problem: () => problem,
    onRecovery: (then) => onceBack.push(then),
    stop: () => clearInterval(timer),
  };
}

function isOfStorage(error: unknown, requireFiles: () => void): boolean {
  const { errcode } = error as { readonly errcode?: number };
  // The lowest byte of an extended result code is the primary one.
  if (errcode !== undefined && SQLITE_CODES.includes(errcode & 0xff)) return true;
  try {
    requireFiles();
    return false;
  } catch {
    return true;
  }
}

function probe(path: string): void {
  const file = openSync(path, 'w', 0o600);
  try {
    writeSync(file, PROBE);
    fsyncSync(file);
  } finally {
    closeSync(file);
    rmSync(path, { force: true });
  }
}
