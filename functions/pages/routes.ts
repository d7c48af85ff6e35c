/** The route of the home page, which is that of the domain checker. Its results are at `/check`. */
import { homeQuery } from '../../shared/api/domain-check-requests.ts';
import { named, page } from '../route-kinds.ts';

export const routes = named({
  home: {
    method: 'GET',
    path: '/',
    handler: 'pages/home',
    access: 'public',
    // The page looks nothing up: it shows a form, or waits for the page with the result, which has a limit.
    rate: 'none',
    summary: 'Show the home page: check a domain, or start a mail test',
    errorImpact: 'Visitors cannot open the home page, so they cannot check domains or start mail tests.',
    timeoutSeconds: 10,
    memoryMegabytes: 512,
    request: { query: homeQuery },
    success: { ...page, status: 200, description: 'The form, or the page that waits for a result' },
    errors: ['invalid_request', 'internal'],
    uses: [],
  },
});
