/** `npm run smoke -- --url <origin> --token <token>`: tests that a deployed service works. */
import { readSmokeArguments, smoke } from '../lib/admin/smoke/smoke.ts';
import { runTool } from './run-tool.ts';

const interrupted = new AbortController();
process.once('SIGINT', () => interrupted.abort());

await runTool(async (args) => {
  const options = readSmokeArguments(args, process.env);
  return { code: (await smoke(options, console.log, interrupted.signal)) ? 0 : 1 };
});
