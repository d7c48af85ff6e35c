/** The program of the GitHub Action (action.yml). */
import { runAction } from '../lib/action/run.ts';
import { release } from '../lib/local/host/release.ts';

const { lines, code } = await runAction(process.env, release());
for (const line of lines) console.log(line);
process.exitCode = code;
