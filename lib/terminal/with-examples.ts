import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { environmentSchema, readEnvironment } from '../../shared/runtime/config/config.ts';
import { resolversOf, withExampleInternet } from '../local/example-internet/environment.ts';
import { startExampleInternet } from '../local/example-internet/index.ts';
import { RECORDS_FILE } from '../local/host/data-files.ts';
import { readSettings } from '../local/host/settings.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Runs the example internet for the duration of `work`, with the changes that were made to the one of the service in
 * `DATA_DIR`. `work` gets the environment that reaches it.
 */
export async function withExamples<T>(
  environment: Environment,
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const config = readEnvironment(environmentSchema, environment);
  const folder = mkdtempSync(join(tmpdir(), 'example-internet-'));
  const changes = join(readSettings(environment).DATA_DIR, RECORDS_FILE);
  const internet = await startExampleInternet({
    forwardTo: resolversOf(config),
    ...(existsSync(changes) ? { keptIn: changes } : {}),
  });
  try {
    return await work({
      ...environment,
      ...withExampleInternet(config, environment.DIAL_MAP, internet, folder),
    });
  } finally {
    await internet.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
