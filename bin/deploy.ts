/** `npm run deploy -- <settings>`: deploys all stacks, after asking the account. */
import { cdkProgram } from '../lib/admin/deploy/cdk-program.ts';
import { runDeploy } from '../lib/admin/deploy/deploy.ts';
import { runTool } from './run-tool.ts';

await runTool((args) => runDeploy(args, cdkProgram));
