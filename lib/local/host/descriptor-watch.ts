/**
 * Notices when the process has no file descriptors left. Node closes connections that it cannot accept then, and reports
 * no error (libuv, `uv__emfile_trick`), so clients are refused without a trace.
 */
import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';
import type { Log } from '../../../shared/runtime/logging/log.ts';

const SAMPLE_MILLISECONDS = 1000;

/** EMFILE: of this process. ENFILE: of the machine. */
const CODES = ['EMFILE', 'ENFILE'];

export interface DescriptorWatch {
  /** Whether the last attempt to open a file found no descriptor. */
  isOut(): boolean;
  stop(): void;
}

/** Logs one line when file descriptors run out, and one when there are some again. */
export function watchDescriptors(log: Log, open: () => void = openOne): DescriptorWatch {
  let isOut = false;
  const timer = setInterval(() => {
    const problem = problemOf(open);
    if ((problem !== undefined) === isOut) return;
    isOut = problem !== undefined;
    if (isOut) log.error('out of file descriptors: connections are refused', { problem });
    else log.warn('file descriptors again');
  }, SAMPLE_MILLISECONDS);
  return {
    isOut: () => isOut,
    stop: () => clearInterval(timer),
  };
}

function openOne(): void {
  closeSync(openSync(devNull, 'r'));
}

function problemOf(open: () => void): string | undefined {
  try {
    open();
    return undefined;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (CODES.includes(code)) return code;
    throw error;
  }
}
