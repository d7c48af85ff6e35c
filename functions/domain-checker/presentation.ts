/** How the pages of the domain checker, and errors on them, are written. */
import { pagesWith } from '../../shared/pages/presentation.ts';
import { domainStyle } from '../../shared/pages/style.ts';

export const pages = pagesWith(domainStyle);
