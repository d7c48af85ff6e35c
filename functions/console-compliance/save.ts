import { complianceSettingsBody } from '../../shared/api/compliance.ts';
import { ownProfilesTyped } from '../../shared/api/console-compliance.ts';
import { changeCompliance } from '../../shared/operations/compliance/change-compliance.ts';
import { invalid, withInput } from '../../shared/operations/outcome.ts';
import { COMPLIANCE_PATH } from '../../shared/pages/console/compliance-text.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { redirect } from '../../shared/runtime/http/reply.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { consoleEndpoint } from '../console-endpoint.ts';
import { routes } from './routes.ts';

export const handler = consoleEndpoint(
  routes.saveCompliance,
  () => ({ compliance: complianceSettingsStore(table()) }),
  async ({ caller, form }, deps) => {
    const own = ownProfilesTyped(form.own);
    const perform = (given: object) =>
      withInput(complianceSettingsBody, given, (input) => changeCompliance(caller, input, deps));
    return redirect(
      'value' in own ? await perform({ follows: form.ids, own: own.value }) : invalid(own),
      () => COMPLIANCE_PATH,
      () => ({ says: 'The profiles are saved. Own ones show for each domain after its next check.' }),
    );
  },
);
