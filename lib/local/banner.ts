/** The text that `npm start` prints when the service is ready: its addresses and some commands to try. */
import type { DefaultToken } from './default-token.ts';
import { exampleDomains } from './example-internet/zone-data.ts';
import { PUBLISH_PATH } from './publish-endpoint.ts';
import type { Service } from './service.ts';

const ends: Readonly<Record<NonNullable<DefaultToken['replaces']>, string>> = {
  revoked: 'was revoked',
  expired: 'has expired',
};

export function banner(service: Service, milliseconds: number): string {
  const { url, smtp, reportsDomain, testerDomain, folder, signInLink } = service;
  const { token, replaces } = service.token;
  const isNew =
    replaces === undefined ? '' : `\n                 (new; the previous token ${ends[replaces]})`;
  const shown = token === undefined ? 'the one in API_TOKEN' : `${token}${isNew}`;
  const authorization =
    token === undefined ? '"Authorization: Bearer $API_TOKEN"' : `'Authorization: Bearer ${token}'`;
  return `
Email domain security monitor, ready in ${milliseconds} ms

  API            ${url}/api/v1          OpenAPI document: ${url}/api/openapi.json
  Web pages      ${url}/                public checks and mail tester
  Console        ${signInLink}
                 (signs in once, within 15 minutes; later with the API token)
  Mail           smtp://${smtp} receives reports at <mailbox>@${reportsDomain}, test messages at <test id>@${testerDomain}
  Data folder    ${folder}
  API token      ${shown}

Try it with the built-in example domains:
${exampleDomains.join(', ')}

  1. Send a test message, and read how receivers rate it
     npm run admin -- send-test

  2. Register and verify the example domains, and import sample reports about them
     npm run admin -- demo

  3. Use the API
     curl -s ${url}/api/v1/domains -H ${authorization}

  4. Change a DNS record of an example domain
     curl -s -X PUT ${url}${PUBLISH_PATH} -d '{"name":"_dmarc.weak.test","type":"TXT","value":"v=DMARC1; p=none; rua=mailto:dmarc@weak.test"}'

  5. Inspect any domain in the terminal
     npm run inspect weak.test

Press Ctrl-C to stop. Data is kept in the data folder.
`;
}
