import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { InputBase, Combobox as MantineCombobox, Pill, PillsInput, useCombobox } from '@mantine/core';

/** The building blocks of pickers, such as link controls. */
export const Combobox = MantineCombobox;
export { InputBase, Pill, PillsInput, useCombobox };
