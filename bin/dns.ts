/** `npm run dns -- print|check`: prints or checks the DNS records that a deployment needs. */
import { runDns } from '../lib/admin/dns-command.ts';
import { described } from '../lib/local/command-line.ts';

try {
  const { output, code } = await runDns(process.argv.slice(2), process.env);
  console.log(output);
  process.exitCode = code;
} catch (error) {
  console.error(described(error));
  process.exitCode = 1;
}
