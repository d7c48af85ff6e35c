import { complianceVersionOf } from '../../shared/operations/compliance/change-compliance.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { showComplianceSettings } from '../../shared/views/compliance.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.getComplianceSettings,
  () => ({ compliance: complianceSettingsStore(table()) }),
  async ({ organization }, { compliance }) => {
    const settings = await compliance.get(organization);
    return { data: showComplianceSettings(settings), version: complianceVersionOf(settings) };
  },
);
