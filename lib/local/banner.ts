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
  const { url, smtp, reportsDomain, testerDomain, folder } = service;
  const { token, replaces } = service.token;
  const isNew =
    replaces === undefined ? '' : `\n                 (new; the previous token ${ends[replaces]})`;
  const shown = token === undefined ? 'the one in API_TOKEN' : `${token}${isNew}`;
  const authorization =
    token === undefined ? '"Authorization: Bearer $API_TOKEN"' : `'Authorization: Bearer ${token}'`;
  return `
Email domain security monitor, ready in ${milliseconds} ms

  API            ${url}/api/v1          OpenAPI document: ${url}/api/openapi.json
  Web pages      ${url}/                SPF checker and mail tester
  Mail           smtp://${smtp} receives reports at <mailbox>@${reportsDomain}, test messages at <test id>@${testerDomain}
  Data folder    ${folder}
  API token      ${shown}

Try it with the built-in example domains:
${exampleDomains.join(', ')}

  1. Register a domain
     curl -s ${url}/api/v1/domains -H ${authorization} \\
       -H 'Content-Type: application/json' -d '{"domain":"good.test","testEmailLocalPart":"postmaster"}'

  2. Run its checks, with the ID from the response
     curl -s -X POST ${url}/api/v1/domains/<id>/checks -H ${authorization}

  3. Verify ownership: publish the TXT record that GET .../domains/<id>/verify returns, then POST to the same URL
     curl -s ${url}${PUBLISH_PATH} -d '{"name":"<hostname>","type":"TXT","value":"<value>"}'

  4. Inspect any domain in the terminal
     npm run inspect weak.test

Press Ctrl-C to stop. Data is kept in the data folder.
`;
}
