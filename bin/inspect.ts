import { described } from '../lib/local/command-line.ts';
import { inspect } from '../lib/local/inspect.ts';

const colour = process.stdout.isTTY === true && !process.env.NO_COLOR;
const width = process.stdout.columns ?? 100;

try {
  const { output, code } = await inspect(process.argv.slice(2), process.env, { colour, width });
  console.log(output);
  process.exitCode = code;
} catch (error) {
  console.error(described(error));
  process.exitCode = 1;
}
