/** `npm run dns -- print|check`: prints or checks the DNS records that a deployment needs. */
import { runTool } from './run-tool.ts';

await runTool(async (args) => (await import('../lib/admin/dns-command.ts')).runDns(args, process.env));
