/** One judge in a process of its own: sends its rows to `run.ts`. */
import { judges } from './judges.ts';

const rows = await judges.find(({ name }) => name === process.argv[2])?.run();
process.send?.(rows ?? [], () => process.disconnect());
