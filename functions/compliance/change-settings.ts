import { changeCompliance } from '../../shared/operations/compliance/change-compliance.ts';
import { table } from '../../shared/runtime/dependencies/services.ts';
import { asCaller } from '../../shared/runtime/http/as-caller.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { answer } from '../../shared/runtime/http/reply.ts';
import { complianceSettingsStore } from '../../shared/store/compliance-settings.ts';
import { showComplianceSettings } from '../../shared/views/compliance.ts';
import { routes } from './routes.ts';

export const handler = endpoint(
  routes.changeCompliance,
  () => ({ compliance: complianceSettingsStore(table()) }),
  async (request, deps) =>
    answer(await changeCompliance(asCaller(request), request.body, deps), showComplianceSettings),
);
