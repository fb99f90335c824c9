# SPDX-License-Identifier: GPL-2.0
# Lines of the psiwalk event in, 20 calls a line out; -v max=CALLS

function field(name,	i)
{
	for (i = 1; i <= NF; i++)
		if (index($i, name "=") == 1)
			return substr($i, length(name) + 2)
	return ""
}

# "0x14" without TSK_ONCPU (0x10): the last digit
function mask(word)
{
	return substr(word, length(word))
}

calls < max {
	group = field("group")
	if (!(group in number))
		number[group] = groups++ % 16
	line = line mask(field("clear")) mask(field("set")) \
		sprintf("%x", number[group])
	if (++calls % 20 == 0) {
		print line
		line = ""
	}
}

END {
	if (line != "")
		print line
}
