/*
 * A library with parse(int), and with SEVERAL also with parse(double).
 */
int parse_int(int) __asm__("_Z5parsei");
int parse_double(double) __asm__("_Z5parsed");

int parse_int(int number)
{
	return number + 1;
}

#ifdef SEVERAL
int parse_double(double number)
{
	return (int)number + 2;
}
#endif
