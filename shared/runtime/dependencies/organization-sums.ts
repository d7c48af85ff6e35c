import { organizationSums } from '../../enforcement/organization-shapes.ts';
import { domainSumsStore, organizationSumsStore } from '../../store/reports/domain-sums.ts';
import { config } from '../config/config.ts';
import { table } from './services.ts';

/** What `sumsOfOrganization` reads. */
export const organizationSumsStores = () => ({
  domainSums: domainSumsStore(table(), { retentionDays: config().RETENTION_DAYS }),
  organizationSums: organizationSumsStore(table(), organizationSums),
});
