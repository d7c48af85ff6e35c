/** Lists of reports with all their rows: what does not fit into a response is refused before the rows are read. */
import { expect, test } from '@jest/globals';
import { handler as listDmarc } from '../../../functions/reports/dmarc.ts';
import { handler as listTls } from '../../../functions/reports/tls.ts';
import { pageTokens } from '../../../shared/runtime/http/page-tokens.ts';
import { domainStore } from '../../../shared/store/domains/domains.ts';
import { organizationStore } from '../../../shared/store/organizations.ts';
import { consoleTable, send } from '../../kit/console.ts';
import { registeredDomain } from '../../kit/reports.ts';
import { use } from '../../kit/use.ts';

const table = await use(consoleTable());
const now = new Date();
const { id, organization } = await registeredDomain(table);
const { token } = await organizationStore(table).createToken(organization, { name: 'me', label: 'svc' }, now);

const listed = { rowOctets: 6 * 1024 * 1024 + 1 };
const dependencies = {
  domains: domainStore(table),
  tokens: pageTokens(table),
  clock: { now: () => now },
  reports: { list: async () => ({ reports: [{ listed }], hasMore: false, summary: {} }) },
};

const sent = (query: string) => ({ id, query, headers: { authorization: `Bearer ${token}` } });

test.each([
  ['DMARC', () => send(listDmarc.with(dependencies as never), sent('includeRecords=true'))],
  ['TLS', () => send(listTls.with(dependencies as never), sent('includePolicies=true'))],
])('%s reports', async (_what, answer) => {
  expect(JSON.parse((await answer()).body ?? '').error.code).toBe('payload_too_large');
});
