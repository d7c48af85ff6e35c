import { consolePages } from '../../shared/pages/console/layout.ts';
import { previewDependencies } from '../../shared/runtime/dependencies/checks.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { planDependencies } from '../fixes/rules.ts';
import { routes } from './routes.ts';
import { previewFix } from './rules.ts';

export const handler = endpoint(
  routes.previewFix,
  () => ({ ...planDependencies(), ...previewDependencies() }),
  previewFix,
  consolePages,
);
