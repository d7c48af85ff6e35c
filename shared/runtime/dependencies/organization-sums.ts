import { organizationSums } from '../../enforcement/organization-shapes.ts';
import { domainSumsStore, organizationSumsStore } from '../../store/reports/domain-sums.ts';
import { retention, table } from './services.ts';

/** What `sumsOfOrganization` reads. */
export const organizationSumsStores = () => ({
  domainSums: domainSumsStore(table(), retention()),
  organizationSums: organizationSumsStore(table(), organizationSums),
});
