/** `npm run dns -- print|check`: prints or checks the DNS records that a deployment needs. */
import { runDns } from '../lib/admin/dns-command.ts';
import { runTool } from './run-tool.ts';

await runTool((args) => runDns(args, process.env));
