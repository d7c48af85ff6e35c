/** `npm run smoke -- --url <origin> --token <token>`: is a deployed service well? */
import { readSmokeArguments, smoke, usage } from '../lib/admin/smoke/smoke.ts';
import { asksForHelp, described } from '../lib/local/command-line.ts';

const args = process.argv.slice(2);
const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

async function isWell(): Promise<boolean> {
  const options = readSmokeArguments(args, process.env);
  return smoke(options, console.log, interrupted.signal);
}

try {
  if (asksForHelp(args)) console.log(usage);
  else process.exitCode = (await isWell()) ? 0 : 1;
} catch (error) {
  console.error(described(error));
  process.exitCode = 1;
}
