/**
 * The script of the keys of the console. They do nothing while the reader types, or together with Ctrl, Alt or Meta, and can be turned off
 * (WCAG 2.2, 2.1.4).
 */
export const keyboard = `
const keys = document.getElementById('keys');
function keysAreOff() {
  try { return localStorage.getItem('keys') === 'off'; } catch { return false; }
}
function saysWhetherOff() {
  keys.querySelector('[data-keys-switch]').textContent = keysAreOff() ? 'Turn the keys on' : 'Turn the keys off';
}
function goToItem(step) {
  const items = Array.from(document.querySelectorAll('main tbody tr, main li.card, main .outcomes li, main .tasks > li'), (item) => item.querySelector('a[href]')).filter((link) => link !== null && link.offsetParent !== null);
  const at = items.findIndex((link) => link === document.activeElement || link.closest('tr, li').contains(document.activeElement));
  items[at === -1 ? (step > 0 ? 0 : items.length - 1) : at + step]?.focus();
}
let goes = 0;
function onKey(event) {
  if (event.ctrlKey || event.altKey || event.metaKey || event.isComposing || keys.open || keysAreOff()) return;
  if (event.target.closest?.('input:not([type=checkbox]), textarea, select, [contenteditable]')) return;
  const isGoing = Date.now() - goes < 1500;
  goes = 0;
  if (isGoing) return document.querySelector('nav.console [data-key="' + CSS.escape(event.key) + '"]')?.click();
  if (event.key === 'g') goes = Date.now();
  else if (event.key === 'j') goToItem(1);
  else if (event.key === 'k') goToItem(-1);
  else if (event.key === '/') document.getElementById('find').focus();
  else if (event.key === '?') keys.showModal();
  else return;
  event.preventDefault();
}
if (keys !== null) {
  const opens = document.querySelector('[data-keys]');
  opens.hidden = false;
  opens.addEventListener('click', () => keys.showModal());
  keys.querySelector('[data-keys-close]').addEventListener('click', () => keys.close());
  keys.querySelector('[data-keys-switch]').addEventListener('click', () => {
    try { localStorage.setItem('keys', keysAreOff() ? 'on' : 'off'); } catch {}
    saysWhetherOff();
  });
  saysWhetherOff();
  addEventListener('keydown', onKey);
}
`.replaceAll(/\n\s*/g, '\n');
