import type { Service } from '../lib/local/host/service.ts';
import { stopOnSignals } from '../lib/local/host/stop-on-signals.ts';
import { DataFolderError } from '../lib/local/stores/files.ts';
import { banner } from '../lib/terminal/banner.ts';
import { ConfigError } from '../shared/runtime/config/config.ts';

/**
 * Starts the service, prints its banner (with secrets to a terminal only) or why it cannot start, and stops it on SIGINT and
 * SIGTERM.
 */
export async function runService(start: () => Promise<Service>): Promise<void> {
  try {
    const service = await start();
    stopOnSignals(service);
    const milliseconds = Math.round(performance.now());
    const isTerminal = process.stdout.isTTY === true;
    console.log(banner(service, milliseconds, isTerminal ? await service.signInLink() : undefined));
  } catch (error) {
    const { syscall } = error as NodeJS.ErrnoException;
    const kinds = [ConfigError, DataFolderError];
    // Errors of the operating system: a port in use, an address that is not local, a file without read permission.
    const foreseen = kinds.some((kind) => error instanceof kind) || syscall !== undefined;
    console.error(foreseen ? `Cannot start: ${(error as Error).message}` : error);
    process.exit(1);
  }
}
