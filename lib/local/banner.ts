/** What `npm start` prints when the service is up: where it is, and what to try. */
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
    replaces === undefined ? '' : `\n                 a new one: the one before ${ends[replaces]}`;
  return `
Email domain security monitor, ready in ${milliseconds} ms

  API            ${url}/api/v1          described at ${url}/api/openapi.json
  For people     ${url}/                check the SPF record of any domain; test a message that you send
  Mail           smtp://${smtp} takes reports at <mailbox>@${reportsDomain}, test messages at <test id>@${testerDomain}
  Data folder    ${folder}
  API token      ${token}${isNew}

Try it, on the example internet that comes with it:
${exampleDomains.join(', ')}

  1. Register a domain
     curl -s ${url}/api/v1/domains -H 'Authorization: Bearer ${token}' \\
       -H 'Content-Type: application/json' -d '{"domain":"good.test","testEmailLocalPart":"postmaster"}'

  2. Check it, with the id from the answer
     curl -s -X POST ${url}/api/v1/domains/<id>/checks -H 'Authorization: Bearer ${token}'

  3. Prove that it is yours: publish the record that GET .../domains/<id>/verify shows, then POST there
     curl -s ${url}${PUBLISH_PATH} -d '{"name":"<hostname>","type":"TXT","value":"<value>"}'

  4. See how any domain stands, here in the terminal
     npm run inspect weak.test

Ctrl-C ends it; what was answered with success is kept.
`;
}
