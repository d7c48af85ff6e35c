/** How the pages of the domain checker, and errors on them, are written. */
import { pagesWith } from '../../shared/pages/presentation.ts';
import { domainCheckStyle } from '../../shared/pages/style.ts';

export const pages = pagesWith(domainCheckStyle);
