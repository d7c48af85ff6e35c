/** `npm run smoke -- --url <origin> --token <token>`: is a deployed service well? */
import { readSmokeArguments, smoke } from '../lib/admin/smoke/smoke.ts';
import { described } from '../lib/local/command-line.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

try {
  const options = readSmokeArguments(process.argv.slice(2), process.env);
  const isWell = await smoke(options, console.log, interrupted.signal);
  process.exitCode = isWell ? 0 : 1;
} catch (error) {
  console.error(described(error));
  process.exitCode = 1;
}
