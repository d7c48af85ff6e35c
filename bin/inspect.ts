import { InspectError, inspect } from '../lib/local/inspect.ts';
import { ConfigError } from '../shared/runtime/config.ts';

const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
const width = process.stdout.columns ?? 100;

try {
  const { output, code } = await inspect(process.argv.slice(2), process.env, { colour, width });
  console.log(output);
  process.exitCode = code;
} catch (error) {
  const foreseen = error instanceof InspectError || error instanceof ConfigError;
  console.error(foreseen ? error.message : error);
  process.exitCode = 1;
}
