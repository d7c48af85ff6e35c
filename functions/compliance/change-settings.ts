import { changeCompliance } from '../../shared/operations/compliance/change-compliance.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { showComplianceSettings } from '../../shared/views/compliance.ts';
import { operationEndpoint } from '../operation-endpoint.ts';
import { routes } from './routes.ts';

export const handler = operationEndpoint(
  routes.changeCompliance,
  () => ({ compliance: complianceSettingsStore(table()) }),
  changeCompliance,
  showComplianceSettings,
);
