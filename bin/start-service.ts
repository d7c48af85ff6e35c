import { exampleInternet } from '../lib/local/example-internet/environment.ts';
import { sourcePlan } from '../lib/local/host/program.ts';
import { startService } from '../lib/local/host/service.ts';
import { commandLine, read } from '../lib/terminal/command-line.ts';
import { runService } from './run-service.ts';
import { runTool } from './run-tool.ts';

const ABOUT =
  'Starts the service on this machine. Its settings are environment variables: see docs/configuration.md.';

await runTool(async (args) => {
  read(commandLine('start').description(ABOUT), args);
  await runService(() => startService(process.env, sourcePlan, exampleInternet));
  return { code: 0 };
});
