import { runTool } from './run-tool.ts';

const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
const width = process.stdout.columns ?? 100;

// 2 and 3 say what --fail-under found; this is EX_USAGE of sysexits.h.
await runTool(
  async (args) => (await import('../lib/terminal/inspect.ts')).inspect(args, process.env, { colour, width }),
  { usage: 64 },
);
