/** Routes of the compliance page of the console. The pages about one domain are in `console-domain`. */
import { complianceForm, consoleComplianceQuery } from '../../shared/api/console-compliance.ts';
import { operation as changeCompliance } from '../../shared/operations/compliance/change-compliance.ts';
import { heavy, named, shows, submits } from '../route-kinds.ts';

export const routes = named({
  showCompliance: {
    ...shows('/console/compliance', { query: consoleComplianceQuery }),
    handler: 'console-compliance/show',
    summary: 'Show which domains fulfill a compliance profile in the console',
    errorImpact: 'Visitors cannot see which domains fulfill a compliance profile in the console.',
    ...heavy,
    uses: ['organizations:read', 'directory:read', 'domain-data:read'],
  },
  saveCompliance: {
    ...submits(changeCompliance, '/console/compliance', 'the page'),
    path: '/console/compliance',
    handler: 'console-compliance/save',
    summary: 'Choose the compliance profiles to follow from the console',
    errorImpact: 'Visitors cannot choose which compliance profiles to follow in the console.',
    request: { form: complianceForm },
  },
});
