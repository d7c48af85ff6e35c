/** The text that `npm start` prints when the service is ready: its addresses and some commands to try. */
import { join } from 'node:path';
import { PUBLISH_PATH } from '../local/example-internet/publish-endpoint.ts';
import { exampleDomains } from '../local/example-internet/zone-data.ts';
import { TOKEN_FILE } from '../local/host/data-files.ts';
import { type DefaultToken, ORGANIZATION } from '../local/host/default-token.ts';
import { called } from '../local/host/release.ts';
import type { Service } from '../local/host/service.ts';

const ends: Readonly<Record<NonNullable<DefaultToken['replaces']>, string>> = {
  revoked: 'was revoked',
  expired: 'has expired',
};

/** Where a line of the banner continues. */
const CONTINUED = `\n${' '.repeat(17)}`;

/**
 * @param signInLink Signs in to the console once. Without it, the banner contains no secret, but says where they are: logs
 * are kept, and read by others.
 */
export function banner(service: Service, milliseconds: number, signInLink?: string): string {
  const { url, smtp, reportsDomain, testerDomain, https, mailTransport, folder } = service;
  const signIn =
    signInLink === undefined
      ? `${url}/console${CONTINUED}(sign in with the API token, or with a link from: ${called('admin')} console ${ORGANIZATION})`
      : `${signInLink}${CONTINUED}(signs in once, within 15 minutes; later with the API token)`;
  const { token, authorization } = tokenTexts(service, signInLink !== undefined);
  return `
Email domain security monitor, ready in ${milliseconds} ms

  API            ${url}/api/v1          OpenAPI document: ${url}/api/openapi.json
  Web pages      ${url}/                public checks and mail tester
  Console        ${signIn}${https === undefined ? '' : `\n  HTTPS          https://${https}/`}
  Mail           smtp://${smtp} receives reports at <mailbox>@${reportsDomain}, test messages at <test id>@${testerDomain}${https === undefined ? '' : ', with STARTTLS'}${CONTINUED}${mailTransport}
  Data folder    ${folder}
  API token      ${token}

Try it with the built-in example domains:
${exampleDomains.join(', ')}

  1. Send a test message, and read how receivers rate it
     ${called('admin')} send-test

  2. Register and verify the example domains, and import sample reports about them
     ${called('admin')} demo

  3. Use the API
     curl -s ${url}/api/v1/domains -H ${authorization}

  4. Change a DNS record of an example domain
     curl -s -X PUT ${url}${PUBLISH_PATH} -d '{"name":"_dmarc.weak.test","type":"TXT","value":"v=DMARC1; p=none; rua=mailto:dmarc@weak.test"}'

  5. Inspect any domain in the terminal
     ${called('inspect')} weak.test

Press Ctrl-C to stop. Data is kept in the data folder.
`;
}

/** The token as the banner shows it, and the header of a request with it for a shell. */
function tokenTexts({ folder, token: { token, replaces } }: Service, isShown: boolean) {
  if (token === undefined)
    return { token: 'the one in API_TOKEN', authorization: '"Authorization: Bearer $API_TOKEN"' };
  const isNew = replaces === undefined ? '' : `${CONTINUED}(new; the previous token ${ends[replaces]})`;
  const file = join(folder, TOKEN_FILE);
  return isShown
    ? { token: `${token}${isNew}`, authorization: `'Authorization: Bearer ${token}'` }
    : { token: `in ${file}${isNew}`, authorization: `"Authorization: Bearer $(cat '${file}')"` };
}
