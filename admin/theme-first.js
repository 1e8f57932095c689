// Runs before the first paint, which then has the user's theme, direction and sidebar. It is a file of its
// own because the content policy allows no inline script. main.tsx takes over what it sets.
(() => {
  const kept = (key) => {
    try {
      return localStorage.getItem(key);
    } catch {
      return null;
    }
  };
  const root = document.documentElement;
  const theme = kept('chancery.theme');
  const isDark =
    theme === 'dark' || (theme !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches);
  root.dataset.mantineColorScheme = isDark ? 'dark' : 'light';
  const language = kept('chancery.language');
  if (language === 'ar') root.dir = 'rtl';
  if (location.pathname.endsWith('/login')) root.dataset.first = 'alone';
  else if (kept('chancery.sidebar') === 'folded') root.dataset.first = 'folded';
})();
