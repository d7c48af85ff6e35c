/** `npm run preflight -- <settings>`: says what would make a deployment fail. */
import { runTool } from './run-tool.ts';

await runTool(async (args) => (await import('../lib/admin/deploy/deploy.ts')).runPreflight(args));
