/** `npm run smoke -- --url <origin> --token <token>`: tests that a deployed service works. */
import { readSmokeArguments, smoke, usage } from '../lib/admin/smoke/smoke.ts';
import { described, wantsHelp } from '../lib/local/command-line.ts';

const args = process.argv.slice(2);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

async function isWell(): Promise<boolean> {
  const options = readSmokeArguments(args, process.env);
  return smoke(options, console.log, interrupted.signal);
}

try {
  if (wantsHelp(args)) console.log(usage);
  else process.exitCode = (await isWell()) ? 0 : 1;
} catch (error) {
  console.error(described(error));
  process.exitCode = 1;
}
