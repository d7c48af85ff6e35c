/** What `npm start` prints when the service is up: where it is, and what to try. */
import type { Service } from './service.ts';

export function banner({ url, smtp, reportsDomain, folder, token }: Service, milliseconds: number): string {
  return `
Email domain security monitor, ready in ${milliseconds} ms

  API            ${url}/api/v1          described at ${url}/api/openapi.json
  For people     ${url}/                check the SPF record of any domain
  Report mail    smtp://${smtp} takes mail for the mailboxes of domains, <mailbox>@${reportsDomain}
  Data folder    ${folder}
  API token      ${token}

Try it, on the example internet that comes with it (good.test, weak.test, parked.test, broken-spf.test, servfail.test):

  1. Register a domain
     curl -s ${url}/api/v1/domains -H 'Authorization: Bearer ${token}' \\
       -H 'Content-Type: application/json' -d '{"domain":"good.test","testEmailLocalPart":"postmaster"}'

  2. Check it, with the id from the answer
     curl -s -X POST ${url}/api/v1/domains/<id>/checks -H 'Authorization: Bearer ${token}'

  3. See how any domain stands, here in the terminal
     npm run inspect weak.test

Ctrl-C ends it; what was answered with success is kept.
`;
}
