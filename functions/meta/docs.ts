import { pagesWith } from '../../shared/pages/presentation.ts';
import { referencePage } from '../../shared/pages/reference/page.ts';
import { referenceStyle } from '../../shared/pages/style.ts';
import { endpoint } from '../../shared/runtime/http/endpoint.ts';
import { reply } from '../../shared/runtime/http/reply.ts';
import { describedApi } from '../described-api.ts';
import { routes } from '../routes.ts';

export const handler = endpoint(
  routes.getDocs,
  () => referencePage(describedApi()),
  async (_request, page) => reply(page),
  pagesWith(referenceStyle),
);
