/** `npm run preflight -- <settings>`: says what would make a deployment fail. */
import { runPreflight } from '../lib/admin/deploy/deploy.ts';
import { runTool } from './run-tool.ts';

await runTool((args) => runPreflight(args));
