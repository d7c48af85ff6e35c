/** `npm run dns -- print|check`: the DNS records that a deployment needs. */
import { DnsError, runDns } from '../lib/admin/dns-command.ts';
import { ConfigError } from '../shared/runtime/config.ts';

try {
  const { output, code } = await runDns(process.argv.slice(2), process.env);
  console.log(output);
  process.exitCode = code;
} catch (error) {
  const foreseen = error instanceof DnsError || error instanceof ConfigError;
  console.error(foreseen ? error.message : error);
  process.exitCode = 1;
}
