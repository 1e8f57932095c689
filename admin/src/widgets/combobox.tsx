import '@mantine/core/styles/Combobox.css';
import '@mantine/core/styles/Pill.css';
import '@mantine/core/styles/PillsInput.css';
import { InputBase, Combobox as MantineCombobox, Pill, PillsInput, useCombobox } from '@mantine/core';

/** The parts that pickers are made of: controls of links and lists of words are built with them. */
export const Combobox = MantineCombobox;
export { InputBase, Pill, PillsInput, useCombobox };
