/** How the pages of the SPF checker, and errors on them, are written. */
import { presented } from '../../shared/pages/presentation.ts';
import { spfTool } from '../../shared/pages/spf/result.ts';

export const pages = presented([], { ...spfTool, action: 'Check an SPF record' });
